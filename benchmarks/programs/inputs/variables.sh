qa=1
r=2
??=3
echo $qa $r

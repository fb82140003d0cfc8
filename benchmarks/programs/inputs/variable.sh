q=1
r=2
?=3
echo $q $r

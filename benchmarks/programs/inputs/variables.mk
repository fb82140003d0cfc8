a := word1
b := word2
d := $?
e := $?

var o = { ab: 1, cd: 2 };
o["??"] = 3;
print(o.ab, o.cd);

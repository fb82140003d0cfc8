var o = { a: 1, b: 2 };
o["?"] = 3;
print(o.a, o.b);

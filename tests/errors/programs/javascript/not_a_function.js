const text = "abc";
text.map((c) => c);

const count = 0;
count += 1;

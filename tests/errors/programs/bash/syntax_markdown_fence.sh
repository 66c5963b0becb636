```bash
echo hello
```

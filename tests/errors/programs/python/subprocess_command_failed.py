import subprocess

subprocess.run(["ls", "/nowhere"], check=True)

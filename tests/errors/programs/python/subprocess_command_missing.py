import subprocess

subprocess.run(["ffmpeg-nightly", "-version"], check=True)

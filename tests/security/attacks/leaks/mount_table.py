# attack: reads the mount table for paths of the host
# expect: outcome=ok
# expect-stdout: DONE
# forbid-stdout: /home/
# forbid-stdout: gbtest
# forbid-stdout: upperdir
print(open("/proc/self/mountinfo").read())
print(open("/proc/self/mounts").read())
print("DONE")

# attack: finds the sockets of container and system managers
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

for path in (
    "/var/run/docker.sock",
    "/run/docker.sock",
    "/run/containerd/containerd.sock",
    "/run/podman/podman.sock",
    "/run/dbus/system_bus_socket",
    "/run/systemd/private",
    "/run/user/0/bus",
    "/run/user/1000/bus",
    "/tmp/.X11-unix/X0",
):
    if os.path.lexists(path):
        finish("ESCAPED", path)
finish("BLOCKED")

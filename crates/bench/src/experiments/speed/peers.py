"""Runs another program's method on a file and tells how long it took.

An order in JSON comes on stdin, the answer goes to stdout; `pellucid-bench speed --peers` talks to it.
"""

import json
import os
import sys
import time


def load_open3d():
    try:
        # Open3D wants libusb even where there is no camera; the wheel stands in for a system's.
        import ctypes
        import libusb_package

        ctypes.CDLL(str(libusb_package.get_library_path()), mode=ctypes.RTLD_GLOBAL)
    except (ImportError, OSError):
        pass
    import open3d

    open3d.geometry.PointCloud.smooth_mls
    return open3d


def load_pymeshlab():
    import pymeshlab

    return pymeshlab


def open3d_mls(path, neighbors):
    open3d = load_open3d()
    cloud = open3d.io.read_point_cloud(path)
    search = open3d.geometry.KDTreeSearchParamKNN(neighbors)
    return lambda: cloud.smooth_mls(search)


def meshlab_apss(path):
    pymeshlab = load_pymeshlab()
    meshes = pymeshlab.MeshSet(verbose=False)
    # It crashes if the points to move and those that make the surface are the same mesh.
    meshes.load_new_mesh(path)
    meshes.load_new_mesh(path)

    def run():
        meshes.set_current_mesh(0)
        meshes.compute_normal_for_point_clouds()
        meshes.compute_mls_projection_apss(controlmesh=0, proxymesh=1)

    return run


def installed():
    peers, missing = [], []
    try:
        version = load_open3d().__version__
        for k in (30, 200):
            name = f"Open3D {version} smooth_mls, {k} neighbors"
            peers.append({"tool": f"open3d-mls-{k}", "name": name})
    except Exception as e:
        missing.append(f"Open3D ({type(e).__name__}: {e})")
    try:
        load_pymeshlab()
        from importlib.metadata import version

        name = f"pymeshlab {version('pymeshlab')} APSS with its normals"
        peers.append({"tool": "meshlab-apss", "name": name})
    except Exception as e:
        missing.append(f"MeshLab ({type(e).__name__}: {e})")
    return {"peers": peers, "missing": missing}


def measured(order):
    threads = order["threads"]
    # Not every library reads OMP_NUM_THREADS.
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        if threads < len(cores):
            os.sched_setaffinity(0, cores[:threads])
    tool, path = order["tool"], order["file"]
    run = meshlab_apss(path) if tool == "meshlab-apss" else open3d_mls(path, int(tool.rsplit("-", 1)[1]))
    cpu, wall = time.process_time(), time.perf_counter()
    kept = run()
    spent = {
        "cpu_seconds": time.process_time() - cpu,
        "wall_seconds": time.perf_counter() - wall,
    }
    del kept
    return spent


def main():
    order = json.load(sys.stdin)
    # Libraries print what they like; only the answer goes to the real stdout.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    json.dump(installed() if order["do"] == "list" else measured(order), answer)
    answer.flush()
    # Some of these libraries crash while they are unloaded.
    os._exit(0)


main()

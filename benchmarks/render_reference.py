"""Renders the reference pictures of crates/sim/tests/render_agreement.rs with MuJoCo's own renderer.

    python3 -m venv venv && venv/bin/pip install mujoco==3.17.0 pillow
    MUJOCO_GL=osmesa venv/bin/python benchmarks/render_reference.py [folder for colour pictures]

Per scene and camera, next to the MJCF:
  *_seg.png    16 bit, 256 x 256: 0 nothing, 1 + geom id, 60000 + flex id
  *_depth.png  RGB as one 24-bit number (red highest), 128 x 128: depth at every second row and
               column from the first, in units of 10 micrometres; 0 nothing
"""

import pathlib
import sys

import mujoco
import numpy as np
from PIL import Image

SIZE = 256
DATA = pathlib.Path(__file__).parent.parent / "crates/sim/tests/data"


def main():
    assert mujoco.__version__ == "3.17.0", mujoco.__version__
    pictures = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for path in sorted(DATA.glob("render_*.xml")):
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        renderer = mujoco.Renderer(model, SIZE, SIZE)
        far = model.vis.map.zfar * model.stat.extent
        for i in range(model.ncam):
            name = f"{path.stem}_{model.camera(i).name}"
            renderer.update_scene(data, camera=i)
            if pictures:
                Image.fromarray(renderer.render()).save(pictures / f"{name}_mujoco.png")
            renderer.enable_segmentation_rendering()
            ids, kinds = np.moveaxis(renderer.render(), -1, 0)
            renderer.disable_segmentation_rendering()
            code = np.zeros((SIZE, SIZE), np.uint16)
            geom = kinds == mujoco.mjtObj.mjOBJ_GEOM
            flex = kinds == mujoco.mjtObj.mjOBJ_FLEX
            code[geom] = ids[geom] + 1
            code[flex] = ids[flex] + 60000
            Image.fromarray(code).save(DATA / f"{name}_seg.png", optimize=True)
            renderer.enable_depth_rendering()
            depth = renderer.render().astype(np.float64)
            renderer.disable_depth_rendering()
            depth[(code == 0) | (depth > 0.99 * far)] = 0
            units = np.rint(depth[::2, ::2] * 1e5).astype(np.uint32)
            rgb = np.stack([units >> 16 & 255, units >> 8 & 255, units & 255], -1)
            Image.fromarray(rgb.astype(np.uint8)).save(DATA / f"{name}_depth.png", optimize=True)
        renderer.close()


if __name__ == "__main__":
    main()

//! Names of how observations are written.

named! {
    /// Order of a picture's axes.
    #[derive(Default)]
    ImageLayout {
        /// Rows, columns, channels.
        #[default]
        Hwc = "rgb-hwc-u8" | "rgb_hwc_uint8",
        /// Channels, rows, columns.
        Chw = "rgb-chw-u8" | "rgb_chw_uint8",
    }
}

named! {
    /// What the state vector holds.
    StateLayout {
        /// Position, axis-angle, both fingers.
        PosAxisAngleFingers = "pos3-axisangle3-gripper2" | "eef_pos3_axisangle3_gripper2",
        /// Position, quaternion, opening.
        PosQuatGripper = "pos3-quat4-gripper1" | "eef_pos3_quat4_gripper1",
        /// Position, Euler angles, both fingers.
        PosEulerFingers = "pos3-euler3-gripper2" | "eef_pos3_euler3_gripper2",
        /// Joint positions and gripper.
        Joints = "joint-positions" | "joint_positions",
        /// Every part under a key of its own.
        Parts = "parts",
    }
}

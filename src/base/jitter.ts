/** Times that are spread, so that those who failed together do not come back together. */

/** A time between half and one and a half of `time`, in its unit. */
export const jittered = (time: number): number => time * (0.5 + Math.random());

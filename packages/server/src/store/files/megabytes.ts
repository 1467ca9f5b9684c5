/** 1 MB = 1024 × 1024 bytes, as in the limits. */
export const inMegabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

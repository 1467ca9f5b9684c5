/** 1 MB is 1024 × 1024 bytes here, as in the limits. */
export const inMegabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

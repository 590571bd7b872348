/** How long to wait until a lease has surely ended, in whole seconds: `41 s`. Never less than one. */
export const secondsLeft = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1000))} s`;

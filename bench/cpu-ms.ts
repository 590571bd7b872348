/** Milliseconds of processor time that this process has used, all of its threads together. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

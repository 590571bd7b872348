/** The zone that settings give a session; `undefined`: the server's own. */
export const zoneOfSettings = (settings: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(settings).find(([name]) => name.toLowerCase() === 'timezone')?.[1];

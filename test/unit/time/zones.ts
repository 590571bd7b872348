/** Zones that differ in how, when and whether their clocks change. */
export const zones = [
  'UTC',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
  'America/Sao_Paulo',
  'Europe/Berlin',
  'Europe/Dublin',
  'Atlantic/Azores',
  'Africa/Casablanca',
  'Asia/Kolkata',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Antarctica/Troll',
] as const;

/** Ends what a unit may leave in its session: temporary tables and the copies of slices, settings, prepared statements. */
export const clearSession = ['close all', 'discard temp', 'reset all', 'deallocate all'] as const;

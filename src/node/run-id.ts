import { randomBytes } from 'node:crypto';
import type { Instant } from '../core/time/zones/instant.ts';

/** `20261129-162350-k3v9qd`: sorts by time, short enough to type, unlike any other. */
export function newRunId(now: Instant): string {
  const stamp = new Date(now).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const letters = [...randomBytes(6)].map((byte) => 'abcdefghjkmnpqrstvwxyz23456789'[byte % 30]).join('');
  return `${stamp}-${letters}`;
}

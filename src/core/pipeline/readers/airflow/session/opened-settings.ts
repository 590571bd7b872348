import type { SessionSetting } from '../../../model/task-session.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call } from '../../../python/values/value.ts';
import { startOptions } from './start-options.ts';

/** Settings of the session that a hook or driver opens, where its `options` are spelled out: `-c search_path=mart`. */
export function openedSettings({ keywords }: Call): readonly SessionSetting[] {
  const options = keywords.get('options');
  const text = plainText(options?.value);
  if (options === undefined || text === undefined) return [];
  const read = startOptions(text);
  return 'unread' in read ? [] : read.settings.map((setting) => ({ ...setting, at: options.at }));
}

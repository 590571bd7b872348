/** A scheduler of `backfill.yaml`, environment references resolved. Secrets live here only in memory. */
export interface SchedulerConfig {
  readonly name: string;
  /** Where its API and its pages are, without a slash at the end; never holds a user or a password. */
  readonly url: string;
  readonly login: SchedulerLogin;
}

/** Where the OpenLineage events of a scheduler are collected. */
export interface LineageCollector {
  /** Without a slash at the end; never holds a user or a password. */
  readonly url: string;
  readonly token: string | undefined;
}

export type SchedulerLogin =
  | { readonly kind: 'none' }
  /** `undefined`: the file has none, and whoever opens it has to bring one. */
  | { readonly kind: 'password'; readonly user: string; readonly password: string | undefined }
  /** How it was got is not our matter: managed services give their own. */
  | { readonly kind: 'token'; readonly token: string };

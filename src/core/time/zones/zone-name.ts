/** An IANA zone name that the runtime knows, e.g. `Europe/Berlin` or `UTC`. Fixed offsets are written `+09:00`. */
export type ZoneName = string;

/** Thrown inside this room where something cannot be run on rows made up; caught at its door, {@link runTwice}. */
export class NotRun extends Error {}

/** Thrown where the database would refuse: a key that is there already. */
export class Refused extends Error {}

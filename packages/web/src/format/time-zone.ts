/** The IANA names of all time zones. */
export const timeZones = (): string[] => Intl.supportedValuesOf('timeZone');

/** The time zone of the browser. */
export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

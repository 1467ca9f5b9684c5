/**
 * The locale of all dates and numbers, whatever the language of the browser: the UI is English. Times have 24 hours. A
 * test finds `Intl` and `toLocale…` outside of this folder.
 */
export const LOCALE = 'en-US';

/** A place within a row, and the message of the row, which may have to be loaded first. */
export interface ReadingPlace {
  readonly key: string;
  readonly into: number;
  readonly messageId: number;
}

/** Where the user left each chat, unless at the end. */
export const readingPlaces = new Map<string, ReadingPlace>();

let back = false;
addEventListener('popstate', () => {
  back = true;
});
// The router reports its own navigation with this event.
addEventListener('pushState', () => {
  back = false;
});

/** The page was opened with Back or Forward. */
export const cameBack = (): boolean => back;

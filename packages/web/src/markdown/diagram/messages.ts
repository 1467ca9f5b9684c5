/** To the frame: draw this. */
export interface DrawRequest {
  readonly source: string;
  readonly dark: boolean;
}

/** From the frame: the height of the diagram in pixels, or why it was not drawn. */
export type DrawResponse = { readonly height: number } | { readonly error: string };

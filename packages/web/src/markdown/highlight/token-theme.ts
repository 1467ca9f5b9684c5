import { TOKEN_KINDS } from './tokens.ts';

type Kind = (typeof TOKEN_KINDS)[number];

/** Scopes of TextMate grammars by token kind. */
const SCOPES: Readonly<Record<Kind, readonly string[]>> = {
  constant: [
    'constant',
    'support.constant',
    'variable.language',
    'entity.other.attribute-name',
    'support.type.property-name.json',
  ],
  string: ['string', 'markup.inline.raw', 'punctuation.definition.string', 'markup.inserted'],
  comment: ['comment', 'punctuation.definition.comment'],
  keyword: [
    'keyword',
    'storage',
    'entity.name.tag',
    'punctuation.definition.heading',
    'markup.heading',
    'markup.deleted',
    'support.type.property-name',
  ],
  parameter: ['variable.parameter'],
  function: [
    'entity.name',
    'support.function',
    'support.class',
    'support.type',
    'variable.function',
  ],
  'string-expression': [
    'string.regexp',
    'constant.character.escape',
    'constant.other.placeholder',
    'punctuation.definition.template-expression',
  ],
  punctuation: ['meta.diff', 'punctuation.separator.key-value'],
  link: ['markup.underline.link', 'string.other.link'],
};

/** Its colors encode indices into the list of kinds; the style sheet defines the actual colors. */
export const theme = {
  name: 'kinds',
  type: 'light' as const,
  fg: '#000000',
  bg: '#ffffff',
  settings: TOKEN_KINDS.map((kind, at) => ({
    scope: [...SCOPES[kind]],
    settings: { foreground: `#${(at + 1).toString(16).padStart(6, '0')}` },
  })),
};

/** The index in the list, or -1. */
export const tokenKindOf = (color: string | undefined): number =>
  Number.parseInt(color?.slice(1) ?? '0', 16) - 1;

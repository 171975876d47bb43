const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
/** What XML escapes, as it was meant; a text without entities is left as it is. */
export const withoutEntities = (text: string): string =>
  text.includes('&') ? text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? '') : text

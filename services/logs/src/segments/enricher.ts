/**
 * What the index asks about a text while it indexes it. Only texts that contain one of `words` are asked about,
 * which costs one comparison a word, since the index knows these words by their numbers.
 */
export type Enricher = {
  /** Words in the tokeniser's form; a text is looked at when it has one of them. */
  words: readonly string[]
  /**
   * `found` are indices into `words`, each once. `severity` is a code, undefined where the format named none.
   * Gives the severity's code and the tags of the patterns that match.
   */
  enrich: (text: string, found: readonly number[], severity: number | undefined) => Enrichment
}

export type Enrichment = { severity: number; patterns: readonly string[] }

export const noEnrichment: Enricher = {
  words: [],
  enrich: (_text, _found, severity) => ({ severity: severity ?? 0, patterns: [] }),
}

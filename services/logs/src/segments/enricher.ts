/**
 * Derives severities and tags from texts during indexing. Only texts that contain one of `words` are passed to it, which costs one comparison per
 * word, because the index numbers these words.
 */
export type Enricher = {
  /** In the tokeniser's form. */
  words: readonly string[]
  /**
   * `found` are distinct indices into `words`. `severity` is a code, undefined where the format has none. Returns the severity code and the tags
   * of the matching patterns.
   */
  enrich: (text: string, found: readonly number[], severity: number | undefined) => Enrichment
}

export type Enrichment = { severity: number; patterns: readonly string[] }

export const noEnrichment: Enricher = {
  words: [],
  enrich: (_text, _found, severity) => ({ severity: severity ?? 0, patterns: [] }),
}

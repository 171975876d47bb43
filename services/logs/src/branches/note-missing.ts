import type { LogEngine } from '../threads/log-engine.ts'

/** Receives the branches whose entries are missing from a response, if there are any. */
export type OnMissing = (branches: readonly string[]) => void

type PartialEngine = Pick<LogEngine, 'search'> & Partial<Pick<LogEngine, 'sources' | 'templates'>>

/** An engine for one request with several queries, and the names of the branches that are missing from any of their results. */
export const recordMissing = <Engine extends PartialEngine>(
  engine: Engine,
): { engine: Engine; missing: () => readonly string[] } => {
  const noted = new Set<string>()
  const note: OnMissing = (branches) => {
    for (const branch of branches) noted.add(branch)
  }
  const { sources, templates } = engine
  return {
    engine: {
      ...engine,
      search: async (request, signal) => {
        const result = await engine.search(request, signal)
        note(result.missing ?? [])
        return result
      },
      ...(sources && { sources: ((filters, signal) => sources(filters, signal, note)) satisfies LogEngine['sources'] }),
      ...(templates && {
        templates: ((question, signal) => templates(question, signal, note)) satisfies LogEngine['templates'],
      }),
    },
    missing: () => [...noted].toSorted(),
  }
}

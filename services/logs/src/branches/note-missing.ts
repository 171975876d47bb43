import type { LogEngine } from '../threads/log-engine.ts'

/** Told of the branches whose entries an answer is without, where there are any. */
export type OnMissing = (branches: readonly string[]) => void

type Asked = Pick<LogEngine, 'search'> & Partial<Pick<LogEngine, 'sources' | 'templates'>>

/** An engine for one request that asks several things, and the branches that any of the answers is without, by name. */
export const noteMissing = <Engine extends Asked>(
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

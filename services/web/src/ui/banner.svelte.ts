import { untrack } from 'svelte'

export type BannerLine = {
  text: string
  tone: 'info' | 'warn'
  button?: { label: string; run: () => void } | undefined
}

const order = ['offline', 'read-only'] as const
type Kind = (typeof order)[number]

let lines = $state.raw<Partial<Record<Kind, BannerLine>>>({})

/** The one line below the bar: of those that pages have set, the most urgent. */
export const banner = {
  get line(): BannerLine | undefined {
    for (const kind of order) if (lines[kind]) return lines[kind]
    return undefined
  },
  set: (kind: Kind, line: BannerLine | undefined): void => {
    // Effects set lines, and must not run again because of it.
    lines = { ...untrack(() => lines), [kind]: line }
  },
}

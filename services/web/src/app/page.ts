import type { Component } from 'svelte'
import type { PathParameters } from '../url/match.ts'

/** What a page component receives: the parameters of its path. */
export type PageProps = { parameters: PathParameters }

export type Page = {
  /** Such as `/logs/incidents/:id`. */
  path: string
  /** As in the navigation and the palette. */
  title: string
  // biome-ignore lint/suspicious/noExplicitAny: pages without parameters take none
  load: () => Promise<{ default: Component<any> }>
  /** Listed in the navigation of its service; pages with parameters are not. */
  menu?: boolean
  /** Shown at its entry in the navigation: how much there is to look at. */
  count?: () => Promise<{ default: Component }>
}

export type Service = {
  name: string
  path: string
  icon: 'listings' | 'logs' | 'music'
  /** Second key after `g`. */
  key: string
  pages: readonly Page[]
}

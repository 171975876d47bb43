import type { Page } from '../app/page.ts'

/** Pages of the music service, a line each. */
export const musicPages: readonly Page[] = [
  { path: '/music', title: 'Pieces', load: () => import('./chains/Page.svelte'), menu: true },
  { path: '/music/chains/:id', title: 'Studio', load: () => import('./studio/Page.svelte') },
  { path: '/music/capacity', title: 'Capacity', load: () => import('./capacity/Page.svelte'), menu: true },
]

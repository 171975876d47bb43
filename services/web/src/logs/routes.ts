import type { Page } from '../app/page.ts'

/** Pages of the log service, a line each. */
export const logsPages: readonly Page[] = [
  { path: '/logs', title: 'Search', load: () => import('./search/Page.svelte'), menu: true },
]

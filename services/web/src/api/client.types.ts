/** Checked by svelte-check and never run: what must not compile. */
import { call } from './client.ts'
import { resource } from './resource.svelte.ts'

export const mustNotCompile = async (): Promise<void> => {
  // @ts-expect-error A route that does not exist.
  await call('GET /logs/api/no-such-route')
  // @ts-expect-error A missing parameter of the path.
  await call('GET /logs/api/tasks/{task_id}')
  // @ts-expect-error A parameter that the route does not have.
  await call('GET /logs/api/search', { query: { text: 'a' } })
  // @ts-expect-error A body without what it requires.
  await call('POST /logs/api/setup/write', { body: {} })
  // @ts-expect-error Only GET routes are resources.
  resource('POST /logs/api/tasks/glean', () => ({}))
  const found = await call('GET /logs/api/search', { query: { q: 'a' } })
  // @ts-expect-error A field that the answer does not have.
  void found.results
}

import { toFailure } from '../api/failure.ts'
import { keys } from '../api/keys.svelte.ts'
import { leaveLogs } from '../api/log-access.svelte.ts'
import { type Action, useActions } from '../ui/actions.svelte.ts'
import { preferences } from '../ui/preferences.svelte.ts'
import { toasts } from '../ui/toasts.svelte.ts'
import { navigate } from '../url/here.svelte.ts'
import { feedback } from './feedback.svelte.ts'
import type { Page, Service } from './page.ts'

type Shell = { home: Page; services: readonly Service[]; pages: readonly Page[] }

const themes = ['system', 'light', 'dark'] as const

export const nextTheme = (): void => {
  const next = themes[(themes.indexOf(preferences.theme) + 1) % themes.length] ?? 'system'
  preferences.set({ theme: next })
  toasts.show(`Theme: ${next}`)
}

export const copyLink = async (): Promise<void> => {
  try {
    // Loaded when it is used: the shell is loaded by every visit.
    const { absoluteAddress } = await import('../url/moments.ts')
    await navigator.clipboard.writeText(absoluteAddress(window.location.href, Date.now()))
    toasts.show('Link copied')
  } catch {
    toasts.show('The browser does not allow copying here: copy the address instead.', { tone: 'warn' })
  }
}

export const logOut = async (): Promise<void> => {
  try {
    await leaveLogs()
    toasts.show('Logged out of the log service')
  } catch (error) {
    toasts.show(toFailure(error).message, { tone: 'warn' })
  }
}

const pageActions = ({ services }: Shell): Action[] =>
  services.flatMap(({ name, pages, path, key }) =>
    pages
      .filter(({ menu }) => menu !== false && menu !== undefined)
      .map((page) => ({
        id: `go-${page.path}`,
        title: page.path === path ? `Go to ${name}` : `${name}: ${page.title}`,
        group: 'Go to',
        ...(page.path === path ? { keys: `g ${key}` } : {}),
        run: () => navigate(page.path),
      })),
  )

/** Everything that works on every page. */
export const useShellActions = (shell: () => Shell, open: { palette: () => void; help: () => void }): void =>
  useActions(() => [
    {
      id: 'palette',
      title: 'Search or run a command',
      keys: 'Ctrl+K',
      group: 'Everywhere',
      run: open.palette,
      hidden: true,
    },
    { id: 'help', title: 'Show keys', keys: '?', group: 'Everywhere', run: open.help },
    {
      id: 'focus-search',
      title: 'Go to the search box',
      keys: '/',
      group: 'Everywhere',
      run: () => document.querySelector<HTMLElement>('main input[type="search"]')?.focus(),
    },
    { id: 'copy-link', title: 'Copy link to this view', group: 'Everywhere', run: () => void copyLink() },
    { id: 'theme', title: 'Change theme: system, light, dark', keys: 'Alt+T', group: 'Everywhere', run: nextTheme },
    {
      id: 'density',
      title: preferences.density === 'roomy' ? 'Use compact rows' : 'Use roomy rows',
      group: 'Everywhere',
      run: () => preferences.set({ density: preferences.density === 'roomy' ? 'compact' : 'roomy' }),
    },
    {
      id: 'zone',
      title: preferences.zone === 'local' ? 'Show times in UTC' : 'Show times in local time',
      group: 'Everywhere',
      run: () => preferences.set({ zone: preferences.zone === 'local' ? 'utc' : 'local' }),
    },
    {
      id: 'letters',
      title: preferences.letterKeys ? 'Turn single-letter keys off' : 'Turn single-letter keys on',
      group: 'Everywhere',
      run: () => preferences.set({ letterKeys: !preferences.letterKeys }),
    },
    {
      id: 'api-key',
      title: 'Enter the key of the log service',
      group: 'Everywhere',
      run: () => keys.promptFor('api', ''),
    },
    {
      id: 'log-out',
      title: 'Log out of the log service',
      group: 'Everywhere',
      changes: true,
      run: () => void logOut(),
    },
    ...(feedback.isEnabled
      ? [
          {
            id: 'feedback',
            title: 'Send feedback',
            group: 'Everywhere',
            run: () => {
              feedback.isOpen = true
            },
          },
        ]
      : []),
    { id: 'go-home', title: 'Go to Home', keys: 'g h', group: 'Go to', run: () => navigate(shell().home.path) },
    ...pageActions(shell()),
  ])

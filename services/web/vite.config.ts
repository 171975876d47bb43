import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

/** Paths of the API, which the development server passes on to a running installation. */
const api = ['^/(listings|logs|music)/(api|health|openapi)', '^/logs/branches/[^/]+/api', '^/docs', '^/(ready|health)']
const target = 'http://127.0.0.1:8080'

/** Puts `src/boot.ts` before the app, as a file of its own: it must run when the files of the app cannot be loaded. */
const bootScript = (): Plugin => {
  let isBuild = false
  return {
    name: 'boot-script',
    configResolved: ({ command }) => {
      isBuild = command === 'build'
    },
    buildStart() {
      const id = fileURLToPath(new URL('src/boot.ts', import.meta.url))
      if (isBuild) this.emitFile({ type: 'chunk', id, name: 'boot' })
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => {
        const chunk = Object.values(bundle ?? {}).find((file) => file.type === 'chunk' && file.name === 'boot')
        const src = chunk ? `./${chunk.fileName}` : '/src/boot.ts'
        return [{ tag: 'script', attrs: { type: 'module', crossorigin: true, src }, injectTo: 'head-prepend' }]
      },
    },
  }
}

const firstScript = fileURLToPath(new URL('src/main.ts', import.meta.url))

/** Whether the first script imports a module, directly or through others, so that every visit loads it. */
const isInShell = (id: string, context: Rolldown.ChunkingContext): boolean => {
  const seen = new Set<string>()
  const isImported = (each: string): boolean => {
    if (each === firstScript) return true
    if (seen.has(each)) return false
    seen.add(each)
    return context.getModuleInfo(each)?.importers.some(isImported) ?? false
  }
  return isImported(id)
}

export default defineConfig({
  // Relative, because the path under which a proxy serves the app is known only at run time.
  base: './',
  plugins: [bootScript(), svelte({ configFile: false, compilerOptions: { runes: true } })],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The content security policy allows no data URLs.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 250,
    reportCompressedSize: false,
    // A build at the first start of an installation is shown to its user.
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          groups: [
            // One file instead of eight that are always loaded together: smaller, and with fewer requests.
            { name: (id, context) => (isInShell(id, context) ? 'shell' : null) },
            // Nor a file for each small part that most pages use: the first page of a visit then takes 15 requests instead of 28.
            // But none for dialogs, which are loaded when they are opened.
            { name: (id) => (id.includes('/ui/Dialog.svelte') ? null : 'common'), minShareCount: 12 },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: { port: 5173, proxy: Object.fromEntries(api.map((path) => [path, { target, changeOrigin: true }])) },
})

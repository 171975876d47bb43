import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

/** Paths of the API, which the development server passes on to a running installation. */
const api = ['^/(listings|logs|music)/(api|health|openapi)', '^/logs/branches/[^/]+/api', '^/docs', '^/(ready|health)']
const target = 'http://127.0.0.1:8080'

export default defineConfig({
  // Relative, because the path under which a proxy serves the app is known only at run time.
  base: './',
  plugins: [svelte({ configFile: false, compilerOptions: { runes: true } })],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The content security policy allows no data URLs.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 250,
    reportCompressedSize: false,
    // A build at the first start of an installation is shown to its user.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  worker: { format: 'es' },
  server: { port: 5173, proxy: Object.fromEntries(api.map((path) => [path, { target, changeOrigin: true }])) },
})

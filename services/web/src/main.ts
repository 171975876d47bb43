// Sets the theme before anything is drawn.
import './ui/preferences.svelte.ts'
import './app/app.css'
import { mount } from 'svelte'
import App from './app/App.svelte'
import { home, pages, services } from './routes.ts'

const target = document.getElementById('app')
target?.replaceChildren()
if (target) mount(App, { target, props: { home, pages, services } })

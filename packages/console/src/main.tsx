import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { keepThemeApplied } from './data/theme.ts';
import { language } from './text/index.ts';
import './styles/base.css';
import './styles/components.css';
import './styles/frame.css';
import './styles/operate.css';

document.documentElement.lang = language;
keepThemeApplied();
const place = document.getElementById('app');
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

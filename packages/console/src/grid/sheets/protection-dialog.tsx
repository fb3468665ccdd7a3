import { Checkbox } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { LoadedView } from '../../components/states.tsx';
import { showToast } from '../../components/toasts.tsx';
import { API, CONSOLE_API, callApi } from '../../data/http.ts';
import type { SheetProtectionView, User } from '../../data/types.ts';
import { useLoad } from '../../data/use-load.ts';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';

interface ProtectionDialogProps {
  readonly controller: GridController;
  readonly sheet: string;
  readonly onClose: () => void;
}

/** Protection of a sheet: who sees its values and who may change it. */
export function ProtectionDialog({ controller, sheet, onClose }: ProtectionDialogProps) {
  const path = `${API}/documents/${controller.session.id}/sheets/${encodeURIComponent(sheet)}/protection`;
  const protection = useLoad(path, () => callApi<{ readonly protection: SheetProtectionView }>('GET', path));
  const users = useLoad('users', () => callApi<{ readonly users: readonly User[] }>('GET', `${CONSOLE_API}/users`));
  const send = async (form: FormData) => {
    const body = {
      hideValues: form.has('hideValues'),
      lock: form.has('lock'),
      allow: form.getAll('allow').map(Number),
    };
    const isOff = !body.hideValues && !body.lock;
    const answer = isOff ? await callApi('DELETE', path) : await callApi('PUT', path, { body });
    if (!answer.ok) return answer;
    showToast('good', t.protection.saved);
    controller.session.openSheets.markAllStale();
    void controller.session.reloadSheets();
    onClose();
    return null;
  };
  return (
    <FormDialog
      title={t.protection.title(sheet)}
      action={t.save}
      isOff={protection.value === null}
      onClose={onClose}
      onSend={send}
    >
      <LoadedView loaded={protection}>
        {({ protection: { hideValues, lock, allow } }) => (
          <>
            <Checkbox
              name="hideValues"
              defaultChecked={hideValues}
              label={t.protection.hide}
              hint={t.protection.hideHint}
            />
            <Checkbox name="lock" defaultChecked={lock} label={t.protection.lock} hint={t.protection.lockHint} />
            <fieldset className="choices">
              <legend>{t.protection.allow}</legend>
              <p className="hint">{t.protection.allowHint}</p>
              <LoadedView loaded={users}>
                {({ users: all }) =>
                  all
                    .filter(({ id }) => id !== controller.session.userId)
                    .map(({ id, name, email }) => (
                      <Checkbox
                        key={id}
                        name="allow"
                        value={id}
                        defaultChecked={allow.includes(id)}
                        label={name}
                        hint={email}
                      />
                    ))
                }
              </LoadedView>
            </fieldset>
          </>
        )}
      </LoadedView>
    </FormDialog>
  );
}

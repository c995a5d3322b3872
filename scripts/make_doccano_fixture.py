"""Make an export of doccano by doccano itself: its importer, its database and its exporter.

doccano needs libraries of 2023, so it has an environment of its own:
`pip install doccano==1.8.4 "numpy<2" "setuptools<70"` with Python 3.11.

Usage: LABELWISE_PROGRAM=PROGRAM PYTHON-OF-DOCCANO scripts/make_doccano_fixture.py
"""

import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path

from make_export_fixtures import FOLDER, KEY, handed_out

LABELS = {
    "ada": {"pet-0": ["cat"], "pet-1": ["dog"], "pet-4": ["cow"]},
    "ben": {"pet-1": ["owl"], "pet-3": ["cat", "dog"]},
}


def start(folder):
    """Start doccano's Django on a new database, without a server."""
    import backend

    sys.path.insert(0, str(Path(backend.__file__).parent))
    os.environ["DATABASE_URL"] = f"sqlite:///{folder}/db.sqlite3"
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.development"
    import django
    from django.core.management import call_command

    django.setup()
    from django.conf import settings

    settings.MEDIA_ROOT = folder
    call_command("migrate", verbosity=0)
    call_command("create_roles", verbosity=0)


def main():
    """Import, label by two people, export."""
    rows = handed_out("doccano")
    with tempfile.TemporaryDirectory() as folder:
        start(folder)
        from data_export.celery_tasks import export_dataset
        from data_import.datasets import load_dataset
        from data_import.pipeline.catalog import create_file_format
        from data_import.pipeline.readers import FileName
        from django.contrib.auth.models import User
        from examples.models import Example, ExampleState
        from label_types.models import CategoryType
        from labels.models import Category
        from projects.models import Member, ProjectType, TextClassificationProject
        from roles.models import Role

        people = {name: User.objects.create_user(name, password="labels-pets-9") for name in LABELS}
        project = TextClassificationProject.objects.create(
            name="pets", created_by=people["ada"], project_type=ProjectType.DOCUMENT_CLASSIFICATION
        )
        project.add_admin()
        Member.objects.create(project=project, user=people["ben"], role=Role.objects.get(name="annotator"))
        path = Path(folder) / "pets.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        name = FileName(full_path=str(path), generated_name=path.name, upload_name=path.name)
        kinds = {"column_data": "text", "column_label": "label", "encoding": "utf_8"}
        task = ProjectType.DOCUMENT_CLASSIFICATION
        load_dataset(task, create_file_format("JSONL"), [name], project, **kinds).save(people["ada"], batch_size=100)
        examples = {example.meta["lw_item"]: example for example in Example.objects.filter(project=project)}
        for who, labels in LABELS.items():
            for item, classes in labels.items():
                for text in classes:
                    kind, _ = CategoryType.objects.get_or_create(project=project, text=text)
                    Category.objects.create(example=examples[item], user=people[who], label=kind)
                ExampleState.objects.create(example=examples[item], confirmed_by=people[who])
        made = export_dataset(project.id, "JSONL", False)
        with zipfile.ZipFile(made) as archive:
            for member in archive.namelist():
                text = archive.read(member).decode()
                lines = sorted(text.splitlines(), key=lambda line: json.loads(line)["lw_item"])
                text = "".join(line + "\n" for line in lines)
                key = json.loads(lines[0])["lw_evaluation"]
                who = Path(member).stem
                (FOLDER / f"doccano-{who}").mkdir(exist_ok=True)
                (FOLDER / f"doccano-{who}" / f"{who}.jsonl").write_text(text.replace(key, KEY))


if __name__ == "__main__":
    main()

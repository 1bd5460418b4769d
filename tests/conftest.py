"""The order of the tests."""


def pytest_collection_modifyitems(items):
    """Start with the workflow, which takes longest, so that another worker does all the rest beside it."""
    items.sort(key=lambda item: item.module.__name__ != "test_workflow")
